import type { JsonObject } from 'portolan'
import { isObject, list, object } from './values.ts'
import { TRAIT_UNITS, readIndexes, readTraits, toNumber } from './traits.ts'

/** Returns the content of an answer, with or without an envelope. */
export function unwrap(value: unknown): unknown {
  if (!isObject(value)) return value
  if ('data' in value && ('success' in value || Object.keys(value).length <= 2))
    return value['data']
  return value
}

/** Reads a field under any of its names; `null` if the API gave none, never an invented zero. */
function field(record: JsonObject, ...names: readonly string[]): unknown {
  for (const name of names) {
    const value = record[name]
    if (value !== undefined && value !== null && value !== '') return value
  }
  return null
}

const CONTACT = {
  farm_name: ['farmName', 'FarmName'],
  contact_name: ['customerName', 'contactName', 'ContactName', 'CustomerName'],
  phone: ['phone', 'Phone'],
  email: ['email', 'Email'],
  address: ['address', 'Address'],
  city: ['city', 'City'],
  state: ['state', 'State'],
  zip_code: ['zipCode', 'ZipCode'],
} as const

/** `getAnimalDetails` of both dialects as one shape. */
export function readAnimal(value: unknown): JsonObject | undefined {
  const data = object(unwrap(value))
  const view = object(data['searchResultViewModel'])
  const record = { ...data, ...view }
  const lpn = field(record, 'lpnId', 'LpnId')
  if (lpn === null) return undefined
  const breed = data['breed'] ?? data['Breed']
  return {
    lpn_id: lpn,
    breed: isObject(breed) ? field(breed, 'breedName', 'BreedName') : (breed ?? null),
    breed_group: field(record, 'breedGroup', 'BreedGroup', 'breedGroupName'),
    date_of_birth: field(record, 'dateOfBirth', 'DateOfBirth', 'dob'),
    gender: field(record, 'gender', 'Gender', 'sex'),
    status: field(record, 'status', 'Status'),
    sire: field(record, 'lpnSre', 'Sire', 'sire'),
    dam: field(record, 'lpnDam', 'Dam', 'dam'),
    registration_number: field(record, 'regNumber', 'RegistrationNumber'),
    total_progeny: toNumber(field(record, 'progenyCount', 'TotalProgeny', 'ProgenyCount')),
    flock_count: toNumber(field(record, 'flockCount', 'FlockCount')),
    genotyped: field(record, 'genotyped', 'Genotyped'),
    traits: detailedTraits(record),
    indexes: readIndexes(record),
    contact_info: readContact(data['contactInfo'] ?? data['ContactInfo']),
  }
}

function detailedTraits(record: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(readTraits(record)).map(([name, trait]) => [
      name,
      { name, ...trait, units: TRAIT_UNITS[name] ?? null },
    ]),
  )
}

function readContact(raw: unknown): JsonObject | null {
  if (!isObject(raw)) return null
  const known = Object.entries(CONTACT).map(([name, names]) => [name, field(raw, ...names)])
  return Object.fromEntries(known.filter(([, value]) => value !== null))
}

/** One row of a search or of a list of progeny. */
function readRow(raw: unknown): JsonObject {
  const row = object(raw)
  const named = {
    breed: field(row, 'breedName', 'Breed', 'breed'),
    sex: field(row, 'sex', 'Sex', 'gender', 'Gender'),
    date_of_birth: field(row, 'dob', 'dateOfBirth', 'DateOfBirth'),
    status: field(row, 'status', 'Status'),
    sire: field(row, 'lpnSre', 'Sire', 'sire'),
    dam: field(row, 'lpnDam', 'Dam', 'dam'),
    registration_number: field(row, 'regNumber', 'RegistrationNumber'),
  }
  const said = Object.entries(named).filter(([, value]) => value !== null)
  return {
    lpn_id: field(row, 'lpnId', 'LpnId'),
    ...Object.fromEntries(said),
    traits: readTraits(row),
  }
}

export interface Page {
  readonly rows: readonly JsonObject[]
  readonly total: number | null
}

export function readPage(value: unknown): Page {
  const inner = unwrap(value)
  const page = object(inner)
  const rows = Array.isArray(inner) ? inner : list(field(page, 'records', 'Results', 'results'))
  const total = toNumber(field(page, 'recordCount', 'TotalCount', 'totalCount'))
  return { rows: rows.map(readRow), total: total ?? (Array.isArray(inner) ? rows.length : null) }
}

export function readBreedGroups(value: unknown): JsonObject[] {
  return list(unwrap(value)).map((raw) => {
    const group = object(raw)
    return {
      id: toNumber(field(group, 'breedGroupId', 'Id', 'id')),
      name: field(group, 'breedGroupName', 'Name', 'name'),
      breeds: list(group['breeds'] ?? group['Breeds']).map((each) => ({
        id: toNumber(field(object(each), 'breedId', 'Id', 'id')),
        name: field(object(each), 'breedName', 'Name', 'name'),
      })),
    }
  })
}
