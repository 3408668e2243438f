import type { Catalog } from '../gateway/catalog.ts'
import type { Listing } from '../gateway/upstream.ts'
import { ToolIndex } from './tool-index.ts'

/** The index of all tools of a catalogue, brought up to date when it is asked for and something changed. */
export function createCatalogIndex(catalog: Catalog, index = new ToolIndex()): () => ToolIndex {
  let seen: readonly Listing[] = []
  return () => {
    const listings = catalog.servers.map(({ listing }) => listing)
    const same = listings.length === seen.length && listings.every((one, i) => one === seen[i])
    if (!same) {
      seen = listings
      index.update(listings.flatMap(({ tools }) => tools))
    }
    return index
  }
}
