// Functions of the module page.wasm (page.c). This text is that of the page's worker, and of the tests.
"use strict";

// Returns what the module imports from WASI: a clock, an empty environment, and no files. Other functions fail.
function wasiImports(module, memory) {
  const NO_FILE = 8, NO_SYSTEM = 52;
  const words = (address, ...values) => {
    const view = new DataView(memory().buffer);
    values.forEach((value, i) => view.setUint32(address + 4 * i, value, true));
    return 0;
  };
  const known = {
    clock_time_get: (clock, precision, address) => {
      new DataView(memory().buffer).setBigUint64(address, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    environ_sizes_get: (count, bytes) => words(count, 0) || words(bytes, 0),
    environ_get: () => 0,
    fd_prestat_get: () => NO_FILE,
    proc_exit: (code) => { throw new Error(`the module ended with code ${code}`); },
  };
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module))
    (imports[from] ||= {})[name] = known[name] || (() => NO_SYSTEM);
  return imports;
}

// Writes an f64 with the least digits that convert back to it, and an integer in decimal.
function decimal(type, bits) {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt("0x" + bits));
  if (type !== "f64") return (type === "i64" ? view.getBigInt64(0) : view.getBigUint64(0)).toString();
  const value = view.getFloat64(0);
  return Object.is(value, -0) ? "-0" : String(value);
}

// Compiles the module, which is compressed, and returns its functions. They throw an error with a sentence if a call
// fails.
async function openWeft(compressed) {
  const bytes = new Blob([compressed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const module = await WebAssembly.compile(await new Response(bytes).arrayBuffer());
  const instance = await WebAssembly.instantiate(module, wasiImports(module, () => instance.exports.memory));
  const weft = instance.exports;
  const bytesAt = (address, count) => new Uint8Array(weft.memory.buffer, address, count);
  const text = () => {
    const rest = new Uint8Array(weft.memory.buffer, weft.page_text());
    return new TextDecoder().decode(rest.slice(0, rest.indexOf(0)));
  };
  const must = (good) => {
    if (!good) throw new Error(text());
    return text();
  };
  const hash = (address, count) => {
    weft.page_hash(address, count);
    return text();
  };
  weft._initialize();
  return {
    // Reads a file (Uint8Array). Returns its hash, the numbers' count, type and format, and their sum.
    read(file) {
      const address = weft.page_reserve(file.length) >>> 0;
      if (!address) throw new Error(`there is no memory for ${file.length} bytes`);
      bytesAt(address, file.length).set(file);
      const fileHash = hash(address, file.length);
      const [count, type, format] = must(weft.page_read(file.length)).split(" ");
      const [sumType, bits, hex] = must(weft.page_sum()).split(" ");
      return { fileHash, count, type, format, sumType, bits, hex: hex || "", sum: decimal(sumType, bits) };
    },
    // Sorts the numbers of the file. Returns a .npy file and its hash.
    sort() {
      const address = weft.page_sort() >>> 0;
      const count = Number(must(address));
      return { file: bytesAt(address, count).slice(), hash: hash(address, count) };
    },
    // Computes the digest of operation i. Returns its line, or null after the last operation.
    digest(i) {
      if (weft.page_digest(i)) return text();
      if (text()) throw new Error(text());
      return null;
    },
  };
}

// Answers the messages of the page, in a worker. The first one has the module.
function serve(scope) {
  let opened;
  const answers = {
    module: async ({ bytes }) => {
      opened = openWeft(bytes);
      await opened;
      return {};
    },
    file: async ({ bytes }) => {
      const weft = await opened, read = weft.read(new Uint8Array(bytes));
      return { ...read, sorted: weft.sort() };
    },
    digest: async ({ operation }) => ({ line: (await opened).digest(operation) }),
  };
  scope.onmessage = async ({ data }) => {
    try {
      scope.postMessage({ id: data.id, ...(await answers[data.kind](data)) });
    } catch (error) {
      scope.postMessage({ id: data.id, error: error.message });
    }
  };
}
