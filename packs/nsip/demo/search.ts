import type { JsonObject } from 'portolan'
import { object } from '../values.ts'
import { BREED_GROUPS, type Sheep } from './sheep.ts'

/** The animals that match the criteria of a search, in the order it asks for. */
export function searchFlock(
  flock: readonly Sheep[],
  query: URLSearchParams,
  criteria: JsonObject,
): readonly Sheep[] {
  const breedId = Number(query.get('breedId') ?? criteria['breedId'] ?? 0)
  const found = flock.filter(
    (sheep) => (breedId === 0 || sheep.breedId === breedId) && matches(sheep, criteria),
  )
  const trait = query.get('sortedBreedTrait')?.toUpperCase()
  if (trait === undefined) return found
  const direction = query.get('reverse') === 'true' ? -1 : 1
  const valueOf = ({ traits }: Sheep) => traits[trait]?.value ?? 0
  return found.toSorted((a, b) => direction * (valueOf(a) - valueOf(b)))
}

function matches(sheep: Sheep, criteria: JsonObject): boolean {
  return (
    inRanges(sheep, object(criteria['traitRanges'])) &&
    Object.entries(criteria).every(([name, value]) => {
      const test = TESTS[name]
      return !test || value === undefined || value === null || test(sheep, value)
    })
  )
}

const TESTS: Readonly<Record<string, (sheep: Sheep, value: unknown) => boolean>> = {
  gender: ({ male }, value) => value === 'Both' || (value === 'Male') === male,
  status: ({ status }, value) => value === status,
  bornAfter: ({ born }, value) => born >= new Date(String(value)),
  bornBefore: ({ born }, value) => born <= new Date(String(value)),
  // Breed, flock, year, animal: 640 1492 2020 FLE249.
  flockId: ({ lpnId }, value) => lpnId.slice(3, 7) === String(value),
  provenOnly: ({ progeny }, value) => value !== true || progeny.length > 0,
  breedGroupId: ({ breedId }, value) =>
    BREED_GROUPS.some(
      ({ id, breeds }) => id === value && breeds.some((each) => each.id === breedId),
    ),
}

function inRanges({ traits }: Sheep, ranges: JsonObject): boolean {
  return Object.entries(ranges).every(([name, raw]) => {
    const { min, max } = object(raw)
    const value = traits[name]?.value ?? 0
    return (typeof min !== 'number' || value >= min) && (typeof max !== 'number' || value <= max)
  })
}
