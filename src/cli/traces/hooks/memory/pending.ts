import { createHash } from 'node:crypto'
import { mkdir, readFile, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TracesAnswer } from '../../connect-traces.ts'
import { replaceFile } from '../../../../base/files/replace-file.ts'

export interface Delivery {
  readonly delivered: number
  readonly waiting: number
  /** Traces that break a rule of the service, and are set aside. */
  readonly refused: number
  /** The last reason why the service refused one. */
  readonly reason: string | undefined
}

const AT_ONCE = 5

export function deliveryText({ delivered, waiting, refused, reason }: Delivery): string {
  return [
    delivered > 0 && `${delivered} trace(s) that waited on this machine are shared now.`,
    waiting > 0 && `${waiting} trace(s) still wait to be shared.`,
    refused > 0 && `${refused} trace(s) are set aside, as the service will not take them.`,
    reason !== undefined && `It said: ${reason}`,
  ]
    .filter(Boolean)
    .join(' ')
}

/** Traces that could not be shared, and wait on this machine until the service accepts them. */
export class Pending {
  readonly #folder: string

  constructor(home: string) {
    this.#folder = join(home, 'hooks', 'pending')
  }

  /** Names the file by a hash of the content, so that the same trace is stored once. */
  async add(trace: Readonly<Record<string, unknown>>): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const text = JSON.stringify(trace)
    const name = createHash('sha256').update(text).digest('hex').slice(0, 24)
    replaceFile(join(this.#folder, `${name}.jsonl`), `${text}\n`, 0o600)
  }

  async names(): Promise<string[]> {
    const all = await readdir(this.#folder).catch(() => [])
    return all.filter((name) => name.endsWith('.jsonl'))
  }

  /** Sends up to `most` traces, until one fails. A duplicate counts as delivered. */
  async deliver(
    send: (trace: unknown) => Promise<TracesAnswer>,
    most: number = AT_ONCE,
  ): Promise<Delivery> {
    let [delivered, refused] = [0, 0]
    let reason: string | undefined
    for (const name of (await this.names()).slice(0, most)) {
      const path = join(this.#folder, name)
      const { status, body } = await send(JSON.parse(await readFile(path, 'utf8')))
      if (status < 300 || status === 409) {
        await rm(path, { force: true })
        delivered += 1
        continue
      }
      reason = `${String(body['detail'])} (HTTP ${status})`
      if (status !== 422) break
      // The service will never accept it, so keep it for its author and do not send it again.
      await rename(path, path.replace(/\.jsonl$/, '.refused'))
      refused += 1
    }
    return { delivered, refused, waiting: (await this.names()).length, reason }
  }
}
