import { defineBuiltin } from '../kit/define-builtin.ts'

export const knowledge = defineBuiltin({
  name: 'knowledge',
  title: 'The knowledge base.',
  description: 'Documents of the team, with citations',
  open: async (context) => (await import('./open-knowledge.ts')).openKnowledgeService(context),
})
