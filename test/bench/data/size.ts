/** The size of a database; each pet has an inventory entry. */
export interface DataSize {
  readonly pets: number;
  readonly orders: number;
}

export const CATEGORIES = 50;

/** The stock of each pet beside its orders: more than a run can order. */
export const STOCK = 1_000_000_000;

export const SMALL: DataSize = { pets: 20_000, orders: 40_000 };
