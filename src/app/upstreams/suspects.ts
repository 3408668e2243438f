import type { SuspectsAmong } from '../../upstreams/drift/apply-drift.ts'
import { scanDefinition } from '../../upstreams/listing/scan/scan.ts'

/** The tools of the other servers, by server. */
export type OtherTools = () => ReadonlyMap<string, readonly string[]>

const NONE: OtherTools = () => new Map()

/** Finds text in the definitions of a server that addresses the model, hides, or imitates. */
export function suspectsOf(server: string, otherTools: OtherTools = NONE): SuspectsAmong {
  return (own) => {
    const context = { server, own, tools: otherTools() }
    return (definition) => scanDefinition(definition, context)
  }
}
