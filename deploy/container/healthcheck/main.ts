/** Docker's question: does the process live? */
const { PORT = '8080' } = process.env;
const alive = await fetch(`http://127.0.0.1:${PORT}/livez`, { signal: AbortSignal.timeout(2_500) }).then(
  (response) => response.ok,
  () => false,
);
process.exit(alive ? 0 : 1);
