/** Batches reads across all requests: keys that arrive during a read wait, and are read together. */
export function batched(readMany) {
  let waiting = [];
  let isReading = false;
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (!isReading) setImmediate(read);
      isReading = true;
    });

  async function read() {
    const batch = waiting;
    waiting = [];
    try {
      const rows = await readMany([...new Set(batch.map(({ key }) => key))]);
      const byId = new Map(rows.map((row) => [row.id, row]));
      for (const { key, resolve } of batch) resolve(byId.get(key));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    isReading = waiting.length > 0;
    if (isReading) setImmediate(read);
  }
}
