import type { JsonObject } from '../../src/base/json/json.ts'
import type { Sheep } from '../../packs/nsip/demo/sheep.ts'

export interface AskedCall {
  readonly name: string
  readonly args: JsonObject
}

/**
 * The calls of an agent that plans matings for an afternoon: it gets an overview, searches, opens
 * the best animals, reads their pedigrees, and returns to the same few candidates to compare them.
 */
export function session(flock: readonly Sheep[]): AskedCall[] {
  const katahdins = flock.filter(({ breedId }) => breedId === 640)
  const rams = katahdins.filter((each) => each.male && each.progeny.length > 8).slice(0, 4)
  const ewes = katahdins.filter((each) => !each.male && each.progeny.length > 0).slice(-6)
  const orientation = [
    { name: 'nsip_list_breeds', args: {} },
    { name: 'nsip_get_trait_ranges', args: { breed_id: 640 } },
  ]
  return [
    ...orientation,
    search('Male', 'WWT'),
    ...rams.map(profile),
    ...rams.map(progeny),
    search('Female', 'NLW'),
    ...ewes.map(profile),
    ...ewes.map(lineage),
    // Each ram is compared with two ewes, which means reading both again.
    ...rams.flatMap((ram) => ewes.slice(0, 2).flatMap((ewe) => [profile(ram), profile(ewe)])),
    search('Male', 'WWT'),
    ...orientation,
    ...rams.slice(0, 2).map(progeny),
  ]
}

function profile({ lpnId }: Sheep): AskedCall {
  return { name: 'nsip_search_by_lpn', args: { lpn_id: lpnId } }
}

function lineage({ lpnId }: Sheep): AskedCall {
  return { name: 'nsip_get_lineage', args: { lpn_id: lpnId } }
}

function progeny({ lpnId }: Sheep): AskedCall {
  return { name: 'nsip_get_progeny', args: { lpn_id: lpnId, page_size: 25 } }
}

function search(gender: string, trait: string): AskedCall {
  const search_criteria = { gender, status: 'CURRENT' }
  const args = { breed_id: 640, page_size: 25, sorted_trait: trait, reverse: true, search_criteria }
  return { name: 'nsip_search_animals', args }
}
