import type { FindSuspects } from '../../upstreams/drift/classify.ts'
import { scanDefinition } from '../../upstreams/listing/scan/scan.ts'

/** Finds text in the definitions of a server that addresses the model, or hides. */
export function suspectsOf(server: string): FindSuspects {
  return (definition) => scanDefinition(definition, { server })
}
