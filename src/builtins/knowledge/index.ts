import type { Environment } from '../../base/environment.ts'
import { type DescribedOptions, defineBuiltin } from '../kit/define-builtin.ts'
import { KNOWLEDGE_SETTINGS } from './settings.ts'

export const knowledge = defineBuiltin({
  name: 'knowledge',
  title: 'The knowledge base.',
  description: 'Documents of the team, with citations',
  settings: KNOWLEDGE_SETTINGS,
  open: async (context) => (await import('./open-knowledge.ts')).openKnowledgeService(context),
  standalone: {
    replaces: {
      name: 'knowledge-mcp',
      names: async (env) => (await import('./knowledge-mcp-names.ts')).namesIn(env),
      notes: async (env, used) => (await import('./knowledge-mcp-names.ts')).notesOn(env, used),
    },
    describe: ({ env, home, embedding }) =>
      `keeps documents in ${env['PORTOLAN_DATABASE_URL'] ? 'PostgreSQL' : home}, vectors ${vectorsIn(env)}, embeds with ${modelOf(embedding)}`,
  },
})

function vectorsIn({ PORTOLAN_QDRANT_URL: url }: Environment): string {
  return url ? `in Qdrant at ${new URL(url).origin}` : 'beside them'
}

function modelOf({ provider, model, baseUrl }: DescribedOptions['embedding']): string {
  if (provider === 'none') return 'nothing: search is by words'
  if (model === undefined && provider === undefined) return 'the model of the package'
  return `${model ?? 'the usual model'} at ${baseUrl ?? provider ?? 'OpenAI'}`
}
