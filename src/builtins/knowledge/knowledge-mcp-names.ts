import type { Environment } from '../../base/environment.ts'
import type { OriginalName } from '../kit/replaced-system.ts'

/** The variables of knowledge-mcp, read only by `knowledge mcp`; nothing else spells them out. */
export function namesIn(env: Environment): OriginalName[] {
  // Its Qdrant may also be `:memory:` or a folder; here the database keeps vectors then.
  const hasServer = /^https?:\/\//i.test(env['QDRANT_URL'] ?? '')
  const model = env['EMBEDDING_MODEL'] || env['PORTOLAN_EMBEDDING_MODEL']
  return [
    ...(hasServer ? QDRANT : []),
    ['EMBEDDING_MODEL', 'PORTOLAN_EMBEDDING_MODEL'],
    // The key alone may belong to the user's application: no document is sent because of it.
    ...(model ? [['OPENAI_API_KEY', 'OPENAI_API_KEY'] as const] : []),
  ]
}

const QDRANT: readonly OriginalName[] = [
  ['QDRANT_URL', 'PORTOLAN_QDRANT_URL'],
  ['QDRANT_API_KEY', 'PORTOLAN_QDRANT_API_KEY'],
  ['QDRANT_COLLECTION', 'PORTOLAN_QDRANT_COLLECTION'],
]

/** Says which of its variables are left out, and why. */
export function notesOn(env: Environment, used: readonly string[]): string[] {
  return [
    ...(env['OPENAI_API_KEY'] && !used.includes('OPENAI_API_KEY')
      ? [
          'OPENAI_API_KEY is not used, so no text leaves this machine: the model of the package embeds. To embed with OpenAI, set EMBEDDING_MODEL=text-embedding-3-small.',
        ]
      : []),
    ...(env['QDRANT_URL'] && !used.includes('QDRANT_URL')
      ? ['QDRANT_URL is not the address of a server, so the vectors are kept with the documents.']
      : []),
  ]
}
