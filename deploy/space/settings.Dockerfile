
# What a Hugging Face Space needs besides; deploy/space/README.md says how it is put behind the Dockerfile.
ENV PORT=7860 OBSERVATORY_TRUSTED_PROXIES=10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,127.0.0.1
ENV OBSERVATORY_FRAME_ANCESTORS="'self' https://huggingface.co https://*.huggingface.co https://*.hf.space"
ENV OBSERVATORY_ALLOWED_HOSTS=*.hf.space
USER 1000:1000
EXPOSE 7860
