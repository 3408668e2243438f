/** One synthetic sheep. Parents are always older, of the same breed and of the right sex. */
export interface Sheep {
  readonly lpnId: string
  readonly breedId: number
  readonly farm: number
  readonly male: boolean
  readonly born: Date
  readonly status: string
  readonly sire: Sheep | undefined
  readonly dam: Sheep | undefined
  readonly progeny: Sheep[]
  /** Value and accuracy (0..1); a young animal has no accuracy for some. */
  readonly traits: Readonly<Record<string, { readonly value: number; readonly accuracy: number }>>
  readonly usIndex: number
  readonly srcIndex: number
}

export const STATUSES = ['CURRENT', 'SOLD', 'DEAD', 'COMMERCIAL', 'CULL', 'EXPORTED'] as const

export const BREED_GROUPS = [
  { id: 61, name: 'Range', breeds: [{ id: 610, name: 'Targhee' }] },
  { id: 62, name: 'Maternal Wool', breeds: [{ id: 486, name: 'South African Meat Merino' }] },
  {
    id: 64,
    name: 'Hair',
    breeds: [
      { id: 640, name: 'Katahdin' },
      { id: 641, name: 'St. Croix' },
    ],
  },
  { id: 69, name: 'Terminal', breeds: [{ id: 690, name: 'Suffolk' }] },
] as const

export const BREEDS = BREED_GROUPS.flatMap(({ breeds, name: group }) =>
  breeds.map((breed) => ({ ...breed, group })),
)

/** Adds an animal to the flock and to the offspring of its parents. */
export function register(flock: Sheep[], sheep: Sheep): Sheep {
  flock.push(sheep)
  sheep.sire?.progeny.push(sheep)
  sheep.dam?.progeny.push(sheep)
  return sheep
}
