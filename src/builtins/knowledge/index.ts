import { defineBuiltin } from '../kit/define-builtin.ts'
import { KNOWLEDGE_SETTINGS } from './settings.ts'

export const knowledge = defineBuiltin({
  name: 'knowledge',
  title: 'The knowledge base.',
  description: 'Documents of the team, with citations',
  settings: KNOWLEDGE_SETTINGS,
  open: async (context) => (await import('./open-knowledge.ts')).openKnowledgeService(context),
})
