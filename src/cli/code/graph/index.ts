import type { Command } from '@commander-js/extra-typings'
import { type ToolFlags, tool } from '../run-command.ts'

export function registerGraph(code: Command): void {
  const deps = code
    .command('deps')
    .description('show what files depend on, and what depends on them')
  const onFiles = (name: string, description: string) =>
    deps
      .command(name)
      .description(description)
      .argument('<file...>')
      .option('-n, --index <name>', 'index to use')
      .option('--depth <n>', 'how many steps to follow, at most 20')
      .option('--type <type>', 'import, reference or call')
      .option('--json', 'print JSON')
  type Flags = ToolFlags & { depth?: string; type?: string }
  const graph = async (
    of: 'dependencies' | 'impact',
    files: string[],
    flags: Flags,
    depth: number,
  ): Promise<void> => {
    const [file] = files
    const how = { depth: Number(flags.depth ?? depth), dep_type: flags.type ?? null }
    return files.length > 1
      ? tool(`get_batch_${of}`, { files, ...how }, flags)
      : tool(`get_file_${of}`, { file, ...how }, flags, of === 'impact' ? 'impact_tree' : 'tree')
  }
  onFiles('show', 'what files import, directly').action(async (files, flags) =>
    graph('dependencies', files, flags, 1),
  )
  onFiles('tree', 'what files import, and so on').action(async (files, flags) =>
    graph('dependencies', files, flags, 5),
  )
  onFiles('impact', 'what a change of files affects').action(async (files, flags) =>
    graph('impact', files, flags, 3),
  )
}
