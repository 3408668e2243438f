import { addSamples } from './samples.ts'
import { BREEDS, STATUSES, type Sheep, register } from './sheep.ts'

/** Spread of each trait among founders. */
const SPREAD: Readonly<Record<string, number>> = {
  BWT: 0.3,
  WWT: 2,
  MWWT: 1,
  PWWT: 3,
  YWT: 4,
  YEMD: 0.8,
  YFAT: 0.5,
  NLB: 0.1,
  NLW: 0.1,
  WFEC: 30,
  PFEC: 35,
  DAG: 0.2,
}

const FIRST_YEAR = 2012
const YEARS = 13

/** A flock that is the same for the same seed: thousands of animals with consistent pedigrees. */
export function createFlock(size = 4_000, seed = 42): readonly Sheep[] {
  const random = mulberry32(seed)
  const flock: Sheep[] = []
  const parents = new Map<number, Breeders>()
  for (const { id } of BREEDS) parents.set(id, { rams: [], ewes: [] })
  const perYear = Math.ceil(size / YEARS)
  let lambs: Sheep[] = []
  for (let n = 0; n < size; n++) {
    if (n % perYear === 0) {
      for (const sheep of lambs) growUp(sheep, parents.get(sheep.breedId))
      lambs = []
    }
    const year = FIRST_YEAR + Math.floor(n / perYear)
    const { id: breedId } = pick(BREEDS, random() ** 2)
    const breeders = parents.get(breedId) ?? { rams: [], ewes: [] }
    lambs.push(register(flock, lamb({ n: n % perYear, year, breedId, breeders, random })))
  }
  addSamples(flock)
  return flock
}

interface Breeders {
  readonly rams: Sheep[]
  readonly ewes: Sheep[]
}

/** Few rams, many ewes: half sibs and common ancestors are as frequent as in real flocks. */
function growUp(sheep: Sheep, breeders: Breeders | undefined): void {
  if (!breeders) return
  if (!sheep.male) breeders.ewes.push(sheep)
  else if (breeders.rams.length * 8 <= breeders.ewes.length) breeders.rams.push(sheep)
}

interface Lambing {
  readonly n: number
  readonly year: number
  readonly breedId: number
  readonly breeders: Breeders
  readonly random: () => number
}

function lamb({ n, year, breedId, breeders, random }: Lambing): Sheep {
  const farm = Math.floor(random() * 40)
  const sire = choose(breeders.rams.slice(-12), random)
  const dam = choose(breeders.ewes.slice(-150), random)
  const traits = Object.fromEntries(
    Object.entries(SPREAD).map(([name, spread]) => {
      const known = [sire, dam].map((parent) => parent?.traits[name]?.value ?? 0)
      const middle = known.reduce((sum, value) => sum + value, 0) / 2
      const value = round(middle + (random() - 0.5) * spread, 3)
      return [name, { value, accuracy: random() < 0.1 ? 0 : round(0.3 + random() * 0.6, 2) }]
    }),
  )
  return {
    lpnId: `${breedId}${String(farm + 100)}${year}${prefix(farm)}${String(n).padStart(3, '0')}`,
    breedId,
    farm,
    male: random() < 0.5,
    born: new Date(Date.UTC(year, Math.floor(random() * 5), 1 + Math.floor(random() * 28))),
    status: pick(STATUSES, random() ** 2),
    sire,
    dam,
    progeny: [],
    traits,
    usIndex: round(100 + (traits['WWT']?.value ?? 0) * 2, 2),
    srcIndex: round(110 + (traits['NLW']?.value ?? 0) * 40, 2),
  }
}

/** Three letters per farm: with farm and year before them, the running number stays unique. */
function prefix(farm: number): string {
  const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ'
  return [farm % 24, (farm * 7) % 24, (farm * 11) % 24].map((index) => letters[index]).join('')
}

function pick<T>(items: readonly [T, ...T[]] | readonly T[], at: number): T {
  const item = items[Math.floor(at * items.length)]
  if (item === undefined) throw new RangeError('nothing to pick from')
  return item
}

function choose(items: readonly Sheep[], random: () => number): Sheep | undefined {
  return items[Math.floor(random() * items.length)]
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}

/** A small generator of good quality; the same seed gives the same flock on every machine. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
