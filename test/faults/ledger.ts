import { send } from './load.ts';

/** The confirmed writes, recorded outside of the service and its database. */
export interface Ledger {
  /** The name in the response, by the pet's id. */
  readonly pets: Map<number, string>;
  /** The quantity, by the order's id. */
  readonly orders: Map<number, number>;
}

export function emptyLedger(): Ledger {
  return { pets: new Map(), orders: new Map() };
}

/** Creates a pet or an order, and records it once it is confirmed. Without a response it may be stored or not. */
export async function writeInto(ledger: Ledger, base: string, n: number, headers: object = {}): Promise<Response> {
  if (n % 2 === 0) {
    const name = `Pet ${n}`;
    const response = await send('POST', `${base}/pets`, { name, categoryId: 1 }, headers);
    if (response.status === 201) ledger.pets.set(await idIn(response.clone()), name);
    return response;
  }
  const quantity = 1 + (n % 3);
  const response = await send('POST', `${base}/store/orders`, { petId: 1, quantity }, headers);
  if (response.status === 201) ledger.orders.set(await idIn(response.clone()), quantity);
  return response;
}

/** The number of recorded rows that are missing or different, and by how much the orders exceed the stock. */
export async function audit(ledger: Ledger, base: string, stock: number): Promise<{ lost: number; oversold: number }> {
  const pets = new Map((await allRows<{ id: number; name: string }>(base, '/pets')).map(({ id, name }) => [id, name]));
  const list = await allRows<{ id: number; petId: number; quantity: number }>(base, '/store/orders');
  const orders = new Map(list.map(({ id, quantity }) => [id, quantity]));
  const lostPets = [...ledger.pets].filter(([id, name]) => pets.get(id) !== name);
  const lostOrders = [...ledger.orders].filter(([id, quantity]) => orders.get(id) !== quantity);
  const { quantity: left } = (await (await fetch(`${base}/store/inventory/1`)).json()) as { quantity: number };
  const sold = list.filter(({ petId }) => petId === 1).reduce((sum, { quantity }) => sum + quantity, 0);
  return { lost: lostPets.length + lostOrders.length, oversold: sold + left - stock };
}

async function idIn(response: Response): Promise<number> {
  return ((await response.json()) as { id: number }).id;
}

/** Every row of a list, from all pages. */
export async function allRows<Row>(base: string, path: string): Promise<Row[]> {
  const rows: Row[] = [];
  let next: string | undefined = `${base}${path}?limit=100`;
  while (next !== undefined) {
    const response: Response = await fetch(next);
    if (!response.ok) throw new Error(`${next} answered ${response.status}: ${await response.text()}`);
    rows.push(...((await response.json()) as Row[]));
    next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return rows;
}
