
# What a Hugging Face Space needs besides; deploy/space/README.md says how it is put behind the Dockerfile.
ENV PORT=7860 FORWARDED_ALLOW_IPS=*
ENV OBSERVATORY_FRAME_ANCESTORS="'self' https://huggingface.co https://*.huggingface.co https://*.hf.space"
ENV OBSERVATORY_ALLOWED_HOSTS=*.hf.space
USER 1000:1000
EXPOSE 7860
