import type { Catalog } from '../gateway/catalog.ts'
import type { Listing } from '../gateway/upstream.ts'
import { ToolIndex } from './tool-index.ts'
import type { ToolMeanings } from './tool-meanings.ts'

/** The index of all tools of a catalogue, brought up to date when it is asked for and something changed. */
export function createCatalogIndex(
  catalog: Catalog,
  meanings?: ToolMeanings,
  index = new ToolIndex(),
): () => ToolIndex {
  let seen: readonly Listing[] = []
  return () => {
    const listings = catalog.servers.map(({ listing }) => listing)
    const same = listings.length === seen.length && listings.every((one, i) => one === seen[i])
    if (!same) {
      seen = listings
      const tools = listings.flatMap((listing) => listing.tools)
      index.update(tools)
      meanings?.update(tools)
    }
    return index
  }
}
