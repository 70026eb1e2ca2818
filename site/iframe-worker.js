/* Search in file:// URLs. Browsers do not start Web Workers from files. There, this class replaces Worker: it runs the
 * script of the worker in an iframe, with the functions postMessage and importScripts that the script expects. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.appendChild(this.frame);
      const inside = this.frame.contentWindow;
      inside.document.open();
      inside.document.write("<!doctype html><body></body>");
      inside.document.close();
      const load = (script) =>
        new Promise((resolve, reject) => {
          const element = inside.document.createElement("script");
          element.src = script;
          element.onload = resolve;
          element.onerror = reject;
          inside.document.body.appendChild(element);
        });
      inside.importScripts = (...scripts) =>
        scripts.reduce((before, script) => before.then(() => load(script)), Promise.resolve());
      inside.postMessage = (data) => {
        const answer = new MessageEvent("message", { data });
        this.dispatchEvent(answer);
        if (this.onmessage) this.onmessage(answer);
      };
      this.loaded = load(String(url));
    }

    postMessage(data) {
      this.loaded.then(() => {
        const inside = this.frame.contentWindow;
        inside.dispatchEvent(new inside.MessageEvent("message", { data }));
      });
    }

    terminate() {
      this.frame.remove();
    }
  };
}
