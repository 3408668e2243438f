import type { Ancestor } from '../read-lineage.ts'

interface Parents {
  readonly sire: string | undefined
  readonly dam: string | undefined
}

/** The parents of all animals in the pedigrees that were read. */
export class Pedigree {
  readonly #parents = new Map<string, Parents>()
  readonly #ranks = new Map<string, number>()
  readonly #known = new Map<string, number>()

  constructor(trees: readonly Ancestor[]) {
    for (const tree of trees) this.#add(tree)
  }

  #add({ lpn_id: id, sire, dam }: Ancestor): void {
    const known = this.#parents.get(id)
    this.#parents.set(id, {
      sire: sire?.lpn_id ?? known?.sire,
      dam: dam?.lpn_id ?? known?.dam,
    })
    if (sire) this.#add(sire)
    if (dam) this.#add(dam)
  }

  /**
   * Returns the chance that a gene taken from each of two animals is identical by descent, which is
   * the inbreeding of their offspring. The younger of the two is replaced by its parents until both
   * are the same animal; this counts every path once, including the inbreeding of common ancestors.
   */
  kinship(a: string | undefined, b: string | undefined): number {
    if (a === undefined || b === undefined) return 0
    const key = a < b ? `${a} ${b}` : `${b} ${a}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    // A cycle in bad data counts as zero.
    this.#known.set(key, 0)
    const [younger, older] = this.#rank(a) >= this.#rank(b) ? [a, b] : [b, a]
    const { sire, dam } = this.#parents.get(younger) ?? { sire: undefined, dam: undefined }
    const value =
      a === b
        ? (1 + this.kinship(sire, dam)) / 2
        : (this.kinship(sire, older) + this.kinship(dam, older)) / 2
    this.#known.set(key, value)
    return value
  }

  /** Returns the common ancestors that are not ancestors of another common ancestor. */
  commonAncestors(a: string, b: string): string[] {
    const ofA = this.#ancestors(a)
    const common = [...this.#ancestors(b)].filter((id) => ofA.has(id))
    const above = new Set(
      common.flatMap((id) => [...this.#ancestors(id)].filter((one) => one !== id)),
    )
    return common.filter((id) => !above.has(id))
  }

  #ancestors(id: string): Set<string> {
    const found = new Set<string>()
    const pending = [id]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (found.has(next)) continue
      found.add(next)
      const { sire, dam } = this.#parents.get(next) ?? {}
      pending.push(...[sire, dam].filter((parent) => parent !== undefined))
    }
    return found
  }

  /** Returns a number above that of any ancestor; a cycle in bad data counts as zero. */
  #rank(id: string, below: ReadonlySet<string> = new Set()): number {
    const known = this.#ranks.get(id)
    if (known !== undefined) return known
    if (below.has(id)) return 0
    const { sire, dam } = this.#parents.get(id) ?? {}
    const path = new Set([...below, id])
    const ranks = [sire, dam].map((parent) => (parent === undefined ? 0 : this.#rank(parent, path)))
    const rank = 1 + Math.max(...ranks)
    this.#ranks.set(id, rank)
    return rank
  }
}

export type Risk = 'low' | 'moderate' | 'high'

export function riskOf(inbreeding: number): Risk {
  if (inbreeding < 0.0625) return 'low'
  return inbreeding < 0.125 ? 'moderate' : 'high'
}
