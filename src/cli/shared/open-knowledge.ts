import { commandContext } from '../../app/builtins/builtin-context.ts'
import {
  type KnowledgeCommands,
  openKnowledgeCommands,
} from '../../builtins/knowledge/knowledge-commands.ts'

/** Opens the knowledge base that the environment names. */
export async function openKnowledge(): Promise<KnowledgeCommands> {
  return openKnowledgeCommands(commandContext('knowledge', process.env))
}
