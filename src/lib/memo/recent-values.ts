/**
 * What was found lately, by a name: the next commit of a repository has nearly the same paths. It is kept in two halves, of which the older one is let
 * go when the newer one holds `many`.
 */
export class Lately<Found extends object | string> {
  readonly #many: number
  #latest = new Map<string, Found>()
  #before: ReadonlyMap<string, Found> = new Map()

  constructor(many = 20_000) {
    this.#many = many
  }

  get(name: string): Found | undefined {
    const latest = this.#latest.get(name)
    if (latest !== undefined) return latest
    const found = this.#before.get(name)
    if (found !== undefined) this.set(name, found)
    return found
  }

  set(name: string, found: Found): Found {
    this.#latest.set(name, found)
    if (this.#latest.size >= this.#many) {
      this.#before = this.#latest
      this.#latest = new Map()
    }
    return found
  }
}
