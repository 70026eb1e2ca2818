// Tests the page weft.html: its worker's script in node, and the page in Chromium, whose name is the last argument.
// The results are those of the command. Usage: node page.mjs weft.html WEFT DIR [CHROMIUM] (DIR: for temporary files)
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [page, command, dir, chromium] = process.argv.slice(2);
const html = readFileSync(page, "utf8");
const script = (id) => html.match(new RegExp(`<script type="text/plain" id="${id}">([^]*?)</script>`))[1];
const weft = (...words) => execFileSync(command, ["--device", "cpu", ...words], { encoding: "utf8" }).trim();
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");
let failures = 0;

function check(what, found, expected) {
  if (Object.is(found, expected)) return;
  console.log(`${what}: expected ${expected}, found ${found}`);
  failures++;
}

// ------------------------------------------------------------------------------- the files

// Writes a file, and returns what the page must show for it. `words`: how the command reads the file.
function sample(name, bytes, type, words, sumWords = []) {
  const path = `${dir}/${name}`, sorted = `${dir}/sorted.npy`;
  writeFileSync(path, bytes);
  const [sum, bits] = weft("sum", ...words(path), "--bits", ...sumWords).split(" ");
  weft("sort", ...words(path), "-o", sorted);
  return { path, name, type, sum, bits, fileHash: sha256(bytes), sortedHash: sha256(readFileSync(sorted)) };
}

function samples() {
  const values = [0.1, -0, 1e300, 3, -1e300, 0.2, NaN, 5e-324, 0.3, 1 / 3], text = `${dir}/text.npy`;
  const raw = new Uint8Array(new Float64Array(values.filter((x) => x === x)).buffer);
  const list = [];
  weft("random", "normal", "--n", "10007", "-o", text);
  const f32 = readFileSync(text);
  weft("random", "uniform", "--n", "5000", "--dtype", "f64", "-o", text);
  const f64 = readFileSync(text);
  const integers = execFileSync("python3", ["-c", "import sys, struct\n" +
    "h = \"{'descr': '<i2', 'fortran_order': False, 'shape': (1000,), }\"\n" +
    "h += ' ' * (117 - len(h)) + '\\n'\n" +
    "b = struct.pack('<1000h', *(i * 7919 % 4001 - 2000 for i in range(1000)))\n" +
    "sys.stdout.buffer.write(b'\\x93NUMPY\\x01\\x00' + struct.pack('<H', len(h)) + h.encode() + b)"]);
  list.push(sample("f32.npy", f32, "f32", (p) => [p], ["--accumulate", "f64"]));
  list.push(sample("f64.npy", f64, "f64", (p) => [p]));
  list.push(sample("i16.npy", integers, "i16", (p) => [p]));
  list.push(sample("raw.bin", raw, "f64", (p) => ["--raw", "f64", p]));
  writeFileSync(`${dir}/column.csv`, `x\n${values.join("\n")}\n`);
  const csv = (p) => ["--column", "x", "--as", "f64", `${dir}/column.csv`];
  list.push(sample("numbers.txt", Buffer.from(values.join(", ") + "\n"), "f64", csv));
  return list;
}

// -------------------------------------------------------------------------------- in node

async function testModule(files) {
  const openWeft = new Function(`${script("worker")}\nreturn openWeft;`)();
  const module = await openWeft(Buffer.from(script("module"), "base64"));
  for (const file of files) {
    const read = module.read(readFileSync(file.path)), sorted = module.sort();
    check(`node, ${file.name}: type`, read.type, file.type);
    check(`node, ${file.name}: bits`, `0x${read.bits}`, file.bits);
    check(`node, ${file.name}: sum`, Number(read.sum), Number(file.sum));
    check(`node, ${file.name}: hash`, read.fileHash, file.fileHash);
    check(`node, ${file.name}: hash of the sorted file`, sorted.hash, file.sortedHash);
    check(`node, ${file.name}: sorted file`, sha256(sorted.file), file.sortedHash);
  }
  const bad = [["1 2 x3", "number 3 is invalid: x3"], ["\u0000\u0001", "the file is no text and no .npy file, and has 2 bytes: not whole f64"],
    ["\x93NUMPY\x01", "the file ends within its header"], ["\x93NUMPY\x07", "the .npy file has version 7: expected 1, 2 or 3"]];
  for (const [text, sentence] of bad) {
    let found = "no error";
    try { module.read(Buffer.from(text, "latin1")); } catch (error) { found = error.message; }
    check("node, a bad file", found, sentence);
  }
  const printed = script("printed").trim().split("\n").slice(1, -1);
  let count = 0, compared = 0;
  for (const line of printed) { // a few operations; tests/machines/run.sh compares all
    if (/^(sum|norm2|histogram_axis|sobol) /.test(line)) {
      check("node, digest", module.digest(count), line);
      compared++;
    }
    count++;
  }
  check("node, compared operations", compared, 4);
  check("node, after the last operation", module.digest(count), null);
}

// ---------------------------------------------------------------------------- in Chromium

// Starts Chromium, and returns a function that sends it a command of its DevTools protocol, and one that ends it.
function startBrowser() {
  const profile = `${dir}/profile`;
  const options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", `--user-data-dir=${profile}`];
  const process = spawn(chromium, options, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  const [, , , input, output] = process.stdio, waiting = new Map();
  let rest = "", count = 0;
  output.setEncoding("utf8").on("data", (text) => {
    const parts = (rest + text).split("\0");
    rest = parts.pop();
    for (const part of parts) {
      const message = JSON.parse(part);
      waiting.get(message.id)?.(message.result ?? Promise.reject(new Error(message.error.message)));
    }
  });
  const send = (method, params = {}, sessionId = undefined) => {
    input.write(JSON.stringify({ id: ++count, method, params, sessionId }) + "\0");
    return new Promise((resolve) => waiting.set(count, resolve));
  };
  const ended = new Promise((resolve) => process.on("exit", resolve));
  // Its processes may write to the profile for a moment after its end.
  const end = async () => {
    send("Browser.close");
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  };
  return { send, end };
}

async function testPage(files) {
  const { send, end } = startBrowser();
  const { targetId } = await send("Target.createTarget", { url: pathToFileURL(page).href });
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  const evaluate = async (expression) =>
    (await send("Runtime.evaluate", { expression, returnByValue: true }, sessionId)).result.value;
  // Waits until the expression has a value that is true, at most two minutes.
  const wait = async (expression) => {
    for (const end = Date.now() + 120000; Date.now() < end; await new Promise((next) => setTimeout(next, 50))) {
      const value = await evaluate(expression);
      if (value) return value;
    }
    throw new Error(`Chromium: ${expression} was not true in time`);
  };
  const shown = (id) => evaluate(`document.getElementById("${id}").textContent`);
  await wait('document.readyState === "complete"');
  const { root } = await send("DOM.getDocument", {}, sessionId);
  const { nodeId } = await send("DOM.querySelector", { nodeId: root.nodeId, selector: "#choose" }, sessionId);
  for (const file of files) {
    await send("DOM.setFileInputFiles", { files: [file.path], nodeId }, sessionId);
    await wait(`document.getElementById("name").textContent === "${file.name}" && !document.getElementById("result").hidden`);
    check(`Chromium, ${file.name}: problem`, await shown("problem"), "");
    check(`Chromium, ${file.name}: bits`, (await shown("bits")).split(" ")[0], file.bits);
    check(`Chromium, ${file.name}: sum`, Number((await shown("sum")).split(" ")[0]), Number(file.sum));
    check(`Chromium, ${file.name}: hash`, await shown("file-hash"), file.fileHash);
    check(`Chromium, ${file.name}: hash of the sorted file`, await shown("sorted-hash"), file.sortedHash);
  }
  await evaluate('document.getElementById("start").click()');
  await wait('document.getElementById("digest").rows.length >= 3');
  check("Chromium, operations that differ", await evaluate('document.querySelectorAll("#digest .differs").length'), 0);
  check("Chromium, the first operation", await evaluate('document.getElementById("digest").rows[0].cells[0].textContent'), "sum");
  await end();
}

const files = samples();
await testModule(files);
if (chromium) await testPage(files);
console.log(failures ? `${failures} checks failed` : `the page is right in node${chromium ? " and Chromium" : ""}`);
process.exit(failures ? 1 : 0);
