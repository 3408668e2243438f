import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { BUILT_IN_PACKS } from '../../src/upstreams/openapi/load/load-pack.ts'
import nsip from './extension.ts'

interface Recorded {
  readonly [operation: string]: { readonly response: unknown }
}

function recorded(dialect: string): Recorded {
  const fixtures: Recorded = JSON.parse(
    readFileSync(join(BUILT_IN_PACKS, 'nsip', 'fixtures', `${dialect}.json`), 'utf8'),
  )
  return fixtures
}

function reread(dialect: string, operation: string, tool: string): unknown {
  return nsip.reshape?.[tool]?.(recorded(dialect)[operation]?.response, ARGS)
}

const ARGS: JsonObject = { page: 0, page_size: 3 }

it.each([
  ['getDateLastUpdated', 'nsip_get_last_update'],
  ['getAvailableBreedGroups', 'nsip_list_breeds'],
  ['getStatusesByBreedGroup', 'nsip_get_statuses'],
  ['getTraitRangesByBreed', 'nsip_get_trait_ranges'],
  ['getPageOfSearchResults', 'nsip_search_animals'],
  ['getLineage', 'nsip_get_lineage'],
  ['getPageOfProgeny', 'nsip_get_progeny'],
])('reads %s of both dialects as the same answer', (operation, tool) => {
  const answer = reread('envelope', operation, tool)
  expect(answer).toBeDefined()
  expect(reread('legacy', operation, tool)).toEqual(answer)
})

function animal(dialect: string): unknown {
  return reread(dialect, 'getAnimalDetails', 'nsip_get_animal')
}

it('reads the same animal from both dialects, beside what only one of them tells', () => {
  expect(animal('legacy')).toEqual({
    ...Object(animal('envelope')),
    breed_group: 'Hair',
    indexes: {},
  })
})
