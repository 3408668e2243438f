import { builtinContext, builtinOptionsFrom } from '../../app/builtins/builtin-context.ts'
import {
  type KnowledgeCommands,
  openKnowledgeCommands,
} from '../../builtins/knowledge/knowledge-commands.ts'

/** Opens the knowledge base that the settings and the environment name. */
export async function openKnowledge(): Promise<KnowledgeCommands> {
  return openKnowledgeCommands(builtinContext(builtinOptionsFrom('knowledge', process.env)))
}
