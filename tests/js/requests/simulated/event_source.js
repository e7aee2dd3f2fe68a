/** `EventSource`, which Node lacks: over `fetch`, reconnecting as the HTML Standard says. */

export class FetchedEvents extends EventTarget {
  static CONNECTING = 0;
  static OPEN = 1;
  static CLOSED = 2;

  /** @param {string} url */
  constructor(url) {
    super();
    this.readyState = FetchedEvents.CONNECTING;
    this._url = url;
    this._lastId = "";
    this._retry = 0;
    this._leaving = new AbortController();
    void this._connect();
  }

  close() {
    this.readyState = FetchedEvents.CLOSED;
    this._leaving.abort();
  }

  async _connect() {
    try {
      const headers = new Headers(this._lastId === "" ? [] : [["Last-Event-ID", this._lastId]]);
      const response = await fetch(this._url, { headers, signal: this._leaving.signal });
      if (!response.ok || !response.body) return this._fail(FetchedEvents.CLOSED);
      this.readyState = FetchedEvents.OPEN;
      this.dispatchEvent(new Event("open"));
      let text = "";
      for await (const bytes of response.body) {
        const parts = (text + Buffer.from(bytes).toString()).split("\n\n");
        text = parts[parts.length - 1];
        for (const part of parts.slice(0, -1)) this._tell(part);
      }
    } catch {
      // The connection is broken, or was closed by the page.
    }
    if (this.readyState === FetchedEvents.CLOSED) return;
    this._fail(FetchedEvents.CONNECTING);
    setTimeout(() => this.readyState !== FetchedEvents.CLOSED && void this._connect(), this._retry);
  }

  /** @param {number} state */
  _fail(state) {
    if (this.readyState === FetchedEvents.CLOSED) return;
    this.readyState = state;
    this.dispatchEvent(new Event("error"));
  }

  /** @param {string} lines  of one event */
  _tell(lines) {
    const fields = new Map(lines.split("\n").map((line) => /** @type {[string, string]} */ (line.split(/: (.*)/))));
    this._lastId = fields.get("id") ?? this._lastId;
    this.dispatchEvent(new MessageEvent(fields.get("event") ?? "message", { data: fields.get("data") }));
  }
}
