import type { JsonObject } from 'portolan'
import { BREEDS, BREED_GROUPS, type Sheep } from './sheep.ts'

/** The two ways NSIP has answered: an envelope in camelCase, and an older flat PascalCase. */
export type Dialect = 'envelope' | 'legacy'

const LINEAGE_DEPTH = 4

export function breedGroupsAnswer(dialect: Dialect): unknown {
  if (dialect === 'legacy') return BREED_GROUPS
  const data = BREED_GROUPS.map(({ id, name, breeds }) => ({
    breedGroupId: id,
    breedGroupName: name,
    breeds: breeds.map((breed) => ({ breedId: breed.id, breedName: breed.name })),
  }))
  return { success: true, data }
}

export function traitRangesAnswer(flock: readonly Sheep[]): unknown {
  const ranges: Record<string, { min: number; max: number }> = {}
  for (const { traits } of flock) {
    for (const [name, { value }] of Object.entries(traits)) {
      const range = (ranges[name] ??= { min: value, max: value })
      range.min = Math.min(range.min, value)
      range.max = Math.max(range.max, value)
    }
  }
  return ranges
}

export function detailsAnswer(sheep: Sheep, dialect: Dialect): unknown {
  const breed = BREEDS.find(({ id }) => id === sheep.breedId)
  const born = usDate(sheep.born)
  if (dialect === 'legacy') {
    return {
      ...legacyRow(sheep),
      Breed: breed?.name,
      BreedGroup: breed?.group,
      TotalProgeny: sheep.progeny.length,
      FlockCount: 1,
      Genotyped: 'No',
      ContactInfo: contact(sheep, true),
    }
  }
  const data = {
    progenyCount: sheep.progeny.length,
    dateOfBirth: born,
    gender: genderOf(sheep),
    genotyped: 'No',
    flockCount: 1,
    breed: { breedName: breed?.name, breedId: sheep.breedId },
    searchResultViewModel: {
      ...envelopeRow(sheep),
      usIndex: sheep.usIndex,
      srcIndex: sheep.srcIndex,
    },
    contactInfo: contact(sheep, false),
  }
  return { success: true, data }
}

export function pageAnswer(rows: readonly Sheep[], total: number, dialect: Dialect): unknown {
  if (dialect === 'legacy') return { TotalCount: total, Results: rows.map(legacyRow) }
  return { success: true, data: { recordCount: total, records: rows.map(envelopeRow) } }
}

export function lineageAnswer(sheep: Sheep, dialect: Dialect): unknown {
  const tree = lineageNode(sheep, 0)
  return dialect === 'legacy' ? tree : { success: true, data: tree }
}

function lineageNode(sheep: Sheep, depth: number): JsonObject {
  const parents = depth >= LINEAGE_DEPTH ? [] : [sheep.sire, sheep.dam]
  return {
    lpnId: sheep.lpnId,
    content: [
      `<div class="farm">${farmName(sheep).replaceAll('&', '&amp;')}</div>`,
      `<div>US Hair Index: ${sheep.usIndex}</div>`,
      `<div>SRC$ Index: ${sheep.srcIndex}</div>`,
      `<div>DOB: ${usDate(sheep.born)}</div>`,
      `<div>Sex: ${genderOf(sheep)}</div>`,
      `<div>Status: ${sheep.status}</div>`,
    ].join(''),
    children: parents.map((parent) => (parent ? lineageNode(parent, depth + 1) : null)),
  }
}

function envelopeRow(sheep: Sheep): JsonObject {
  const traits = Object.entries(sheep.traits).flatMap(([name, { value, accuracy }]) => [
    [name.toLowerCase(), value],
    [`acc${name.toLowerCase()}`, accuracy],
  ])
  return {
    lpnId: sheep.lpnId,
    lpnSre: sheep.sire?.lpnId ?? null,
    lpnDam: sheep.dam?.lpnId ?? null,
    sex: genderOf(sheep),
    dob: usDate(sheep.born),
    status: sheep.status,
    regNumber: null,
    ...Object.fromEntries(traits),
  }
}

function legacyRow(sheep: Sheep): JsonObject {
  const traits = Object.entries(sheep.traits).map(([name, { value, accuracy }]) => [
    name,
    { Value: value, Accuracy: Math.round(accuracy * 100) },
  ])
  return {
    LpnId: sheep.lpnId,
    Sire: sheep.sire?.lpnId ?? null,
    Dam: sheep.dam?.lpnId ?? null,
    Gender: genderOf(sheep),
    DateOfBirth: usDate(sheep.born),
    Status: sheep.status,
    Traits: Object.fromEntries(traits),
  }
}

function contact({ farm }: Sheep, pascal: boolean): JsonObject {
  const camel = {
    farmName: `Farm ${farm} & Sons`,
    customerName: `Shepherd ${farm}`,
    phone: `555-01${String(farm).padStart(2, '0')}`,
    email: `farm${farm}@example.com`,
    address: `${farm + 1} Sheep Lane`,
    city: 'Woolton',
    state: 'OH',
    zipCode: '43210',
  }
  if (!pascal) return camel
  return Object.fromEntries(
    Object.entries(camel).map(([key, value]) => [key.replace(/^./, (c) => c.toUpperCase()), value]),
  )
}

function farmName({ farm }: Sheep): string {
  return `Farm ${farm} & Sons`
}

function genderOf({ male }: Sheep): string {
  return male ? 'Male' : 'Female'
}

/** M/D/YYYY, as NSIP writes dates. */
function usDate(date: Date): string {
  return `${date.getUTCMonth() + 1}/${date.getUTCDate()}/${date.getUTCFullYear()}`
}
