import { builtinContext } from '../../app/builtins/builtin-context.ts'
import {
  type KnowledgeCommands,
  openKnowledgeCommands,
} from '../../builtins/knowledge/knowledge-commands.ts'

/** The knowledge base that the environment names. */
export async function openKnowledge(): Promise<KnowledgeCommands> {
  return openKnowledgeCommands(builtinContext({ env: process.env }))
}
