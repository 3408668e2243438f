import type { JsonObject } from '../../src/base/json/json.ts'
import { type Opened, openGateway } from './open-gateway.ts'
import { stdioUpstream } from './start.ts'
import { type TempFolder, tempFolder } from './temp-folder.ts'

export const SERVERS = { notes: stdioUpstream(), files: stdioUpstream() }
/** A program that would leave a trace if it were started. */
export const GONE = {
  command: process.execPath,
  args: ['-e', 'require("fs").writeFileSync("started", "")'],
}

export interface TapeOptions {
  readonly servers?: JsonObject
  readonly folder?: TempFolder
  readonly args?: readonly string[]
  readonly settings?: JsonObject
}

export async function record({ servers = SERVERS, args = [], ...more }: TapeOptions = {}) {
  const { folder = tempFolder() } = more
  return openGateway({ ...more, servers, folder, args: ['record', 'tape.jsonl', ...args] })
}

/** Replays in the same folder, where no server can be started any more. */
export async function replay(recorded: Opened, { servers, args = [], ...more }: TapeOptions = {}) {
  await recorded.close()
  const gone = { notes: GONE, files: GONE }
  const { folder } = recorded
  return openGateway({
    ...more,
    folder,
    servers: servers ?? gone,
    args: ['replay', 'tape.jsonl', ...args],
  })
}

export const tapeOf = ({ folder }: Opened) => folder.read('tape.jsonl')
