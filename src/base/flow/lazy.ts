/** Makes a value when it is first needed. A failure is not kept: the next `get` tries again. */
export class Lazy<Value> {
  readonly #make: () => Promise<Value>
  #making: Promise<Value> | undefined

  constructor(make: () => Promise<Value>) {
    this.#make = make
  }

  /** Makes the value, once for all who ask. */
  async get(): Promise<Value> {
    this.#making ??= this.#make().catch((error: unknown) => {
      this.#making = undefined
      throw error
    })
    return this.#making
  }

  /** Returns the value only if somebody has asked for it, so that it can be closed. */
  async made(): Promise<Value | undefined> {
    return this.#making?.catch(() => undefined)
  }
}
