import { isDeepStrictEqual } from 'node:util';

/** A schema of OpenAPI 3.0.3, or a reference to one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ComponentText {
  /**
   * An example for each component, by its name. That of a list is by default the one of its items, that of a union the one
   * of its first row, and parameters in paths have what the one of the row has.
   */
  readonly examples: Readonly<Record<string, unknown>>;
  /** Fields of a component that are not listed as required although they always have a value. */
  readonly optional: Readonly<Record<string, readonly string[]>>;
}

/** The components of a document, each made when it is first referred to. */
export class Components {
  readonly schemas = new Map<string, JsonSchema>();
  readonly responses = new Map<string, JsonSchema>();
  readonly text: ComponentText;
  readonly #elements = new Map<string, unknown>();

  constructor(text: ComponentText) {
    this.text = text;
  }

  /** A reference to the component of an element, which `make` creates at the first call. Throws if another element has it. */
  refer(name: string, element: unknown, make: () => JsonSchema): JsonSchema {
    if (!this.schemas.has(name)) {
      if (this.#elements.get(name) === element)
        throw new Error(`${name} contains itself, which the body of a REST request must not.`);
      this.#elements.set(name, element);
      const schema = make();
      const example = this.text.examples[name] ?? this.#exampleWithin(schema);
      this.schemas.set(name, { ...schema, ...(example !== undefined && { example }) });
    }
    if (this.#elements.get(name) !== element)
      throw new Error(`OpenAPI has two schemas ${name}; name a list by plurals, or a row by its fragment.`);
    return { $ref: `#/components/schemas/${name}` };
  }

  /** The number of fields that a component requires. */
  requiredBy(reference: JsonSchema): number {
    return (this.schemas.get(nameOf(reference))?.required as readonly string[] | undefined)?.length ?? 0;
  }

  #exampleWithin({ items, anyOf = [items] }: JsonSchema): unknown {
    const [row] = anyOf as readonly JsonSchema[];
    const example = this.text.examples[nameOf(row)];
    return items === undefined || example === undefined ? example : [example];
  }

  /** A reference to a shared response; throws if a different one has its name. */
  respond({ name, response }: { readonly name: string; readonly response: JsonSchema }): JsonSchema {
    const before = this.responses.get(name) ?? response;
    if (!isDeepStrictEqual(before, response)) throw new Error(`OpenAPI has two responses with the name ${name}.`);
    this.responses.set(name, before);
    return { $ref: `#/components/responses/${name}` };
  }
}

function nameOf(reference: JsonSchema | undefined): string {
  return String(reference?.$ref).replace('#/components/schemas/', '');
}
