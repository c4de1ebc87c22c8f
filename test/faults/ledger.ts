import { send } from './load.ts';

/** Kept outside of the service and its database: what the service has said is done. */
export interface Ledger {
  /** By the pet's id, the name that it was answered with. */
  readonly pets: Map<number, string>;
  /** By the order's id, its quantity. */
  readonly orders: Map<number, number>;
}

/** A ledger of nothing yet. */
export function emptyLedger(): Ledger {
  return { pets: new Map(), orders: new Map() };
}

/** Writes a pet or an order, and notes it once it is answered. What is not answered may be done or not. */
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

/** What of the ledger is not there any more, or not as it was answered; and by how many more are sold than there were. */
export async function audit(ledger: Ledger, base: string, stock: number): Promise<{ lost: number; oversold: number }> {
  const pets = new Map((await all<{ id: number; name: string }>(base, '/pets')).map(({ id, name }) => [id, name]));
  const list = await all<{ id: number; petId: number; quantity: number }>(base, '/store/orders');
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

/** Every row of a list, page by page. */
async function all<Row>(base: string, path: string): Promise<Row[]> {
  const rows: Row[] = [];
  let next: string | undefined = `${base}${path}?limit=100`;
  while (next !== undefined) {
    const response: Response = await fetch(next);
    rows.push(...((await response.json()) as Row[]));
    next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return rows;
}
