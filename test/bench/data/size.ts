/** How much is in a database; each pet is counted in the inventory. */
export interface DataSize {
  readonly pets: number;
  readonly orders: number;
}

export const CATEGORIES = 50;

/** What each pet has in stock, beside its orders: more than a run can take. */
export const STOCK = 1_000_000_000;

export const SMALL: DataSize = { pets: 20_000, orders: 40_000 };
