import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { GatewayError } from '../../gateway/errors.ts'
import type { Machine } from '../shared/clients/machine.ts'
import { recordTrust } from '../trust/record-trust.ts'
import { replaceFile } from '../shared/files/replace-file.ts'
import type { Terminal } from '../shared/terminal/terminal.ts'
import { starterRules, starterServers, starterSettings } from './starter-files.ts'

export interface InitOptions {
  readonly machine: Machine
  readonly terminal: Terminal
  /** Accept the suggested answer to every question, and overwrite nothing. */
  readonly yes: boolean
}

export interface InitReport {
  readonly written: readonly string[]
  readonly kept: readonly string[]
}

/** Creates the three files; an existing one is overwritten only after asking. */
export async function runInit(options: InitOptions): Promise<InitReport> {
  const { machine, terminal, yes } = options
  if (!yes && !terminal.canAsk)
    throw new GatewayError('INVALID_PARAMS', 'There is no terminal to ask questions on', {
      hint: 'portolan init --yes accepts the suggested answers.',
    })
  const written: string[] = []
  const kept: string[] = []
  const put = (name: string, content: string) => {
    const path = join(machine.cwd, name)
    replaceFile(path, content)
    recordTrust(machine, [{ path, text: content }], 'trusted')
    written.push(name)
  }
  const isFree = async (name: string) => {
    if (!existsSync(join(machine.cwd, name))) return true
    if (!yes && (await terminal.confirm(`${name} already exists. Overwrite it?`, false)))
      return true
    kept.push(name)
    return false
  }

  for (const [name, content] of FILES) if (await isFree(name)) put(name, content())
  return { written, kept }
}

const FILES = [
  ['.mcp.json', starterServers],
  ['.mcp-gateway-rules.json', starterRules],
  ['portolan.yaml', starterSettings],
] as const
