import { createHmac } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Environment } from '../base/environment.ts'
import { messageOf } from '../base/errors.ts'
import { GuardedHttp } from '../base/net/guarded-http.ts'
import { retryAfterMs } from '../base/net/retry-after.ts'
import { readSecrets } from '../config/secrets/stored-secrets.ts'
import { substitute } from '../config/secrets/variables.ts'
import type { Settings } from '../config/settings/settings.ts'
import type { Approval } from '../gateway/approvals/approval.ts'
import { describeQuestion, titleOfQuestion } from '../gateway/approvals/elicitation.ts'

/** How long one try may take. */
const DEADLINE_MS = 10_000
/** How long to wait before each further try. */
const PAUSES_MS = [1_000, 5_000, 25_000]
const MAX_ANSWER_BYTES = 64 << 10
const MAX_SHOWN = 1_500

export interface WebhookParts {
  readonly settings: () => Settings
  readonly env: Environment
  /** The address at which a person answers a question; undefined if no page can be opened. */
  readonly linkTo: (id: string) => Promise<string | undefined>
}

/** Sends questions to the address of `approvals.webhook`, if there is one. */
export function createWebhook({ settings, env, linkTo }: WebhookParts) {
  const closing = new AbortController()
  const http = new GuardedHttp({
    tooLarge: (bytes) => new Error(`its answer has more than ${bytes} bytes`),
    refused: (host, is) =>
      new PrivateAddress(`${host} is ${is}: see approvals.webhook.allowPrivate`),
  })

  async function send(approval: Approval): Promise<void> {
    const { home, approvals } = settings()
    if (!approvals.webhook) return
    const { url, secret } = filled(approvals.webhook, { ...readSecrets(home, env), ...env })
    const { id, question, createdAt, expiresAt } = approval
    const { key: _key, exception: _exception, ...shown } = question
    const link = await linkTo(id)
    const how = link ?? `portolan approvals approve ${id}`
    const title = titleOfQuestion(question)
    const body = JSON.stringify({
      type: 'approval.asked',
      timestamp: new Date(createdAt).toISOString(),
      // What chats show.
      text: `${title}\n${describeQuestion(question, MAX_SHOWN)}\n${how}`,
      data: { id, ...shown, expires_at: new Date(expiresAt).toISOString(), link: link ?? null },
    })
    for (const pauseMs of [...PAUSES_MS, undefined]) {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(DEADLINE_MS)])
      // oxlint-disable-next-line no-await-in-loop -- One try after the other.
      const failure = await post({ url, secret, id, body, signal })
      if (failure === undefined) return
      if (!failure.mayPass || pauseMs === undefined || Date.now() + pauseMs > expiresAt)
        throw new Error(`${new URL(url).origin} was not told of approval ${id}: ${failure.message}`)
      // oxlint-disable-next-line no-await-in-loop
      await wait(failure.waitMs ?? pauseMs, undefined, { signal: closing.signal, ref: false })
    }
  }

  /** Sends it once; returns why that failed. */
  async function post({ url, secret, id, body, signal }: Delivery): Promise<Failure | undefined> {
    try {
      const { status, headers } = await http.send({
        method: 'POST',
        url: new URL(url),
        headers: { 'content-type': 'application/json', ...signed(id, body, secret) },
        body,
        signal,
        allowPrivate: settings().approvals.webhook?.allowPrivate === true,
        maxBytes: MAX_ANSWER_BYTES,
      })
      if (status >= 200 && status < 300) return undefined
      const waitMs = retryAfterMs(headers['retry-after'])
      const mayPass = status === 408 || status === 429 || status >= 500
      return {
        message: `it answered ${status}`,
        mayPass,
        waitMs: waitMs && Math.min(waitMs, 60_000),
      }
    } catch (error) {
      const isLate = signal.aborted && !closing.signal.aborted
      const message = isLate ? `no answer within ${DEADLINE_MS} ms` : messageOf(error)
      return { message, mayPass: !(error instanceof PrivateAddress) }
    }
  }

  return {
    send,
    async close() {
      closing.abort()
      await http.close()
    },
  }
}

class PrivateAddress extends Error {}

interface Delivery {
  readonly url: string
  readonly secret: string
  readonly id: string
  readonly body: string
  readonly signal: AbortSignal
}

interface Failure {
  readonly message: string
  /** Whether another try may succeed. */
  readonly mayPass: boolean
  readonly waitMs?: number | undefined
}

/** Fills in the variables of address and secret; throws if one is missing. */
function filled(webhook: { url: string; secret: string }, env: Environment) {
  const { value, missing } = substitute([webhook.url, webhook.secret], env)
  const [url, secret] = Array.isArray(value) ? value.map(String) : []
  if (missing.length === 0 && url !== undefined && secret !== undefined && URL.canParse(url))
    return { url, secret }
  throw new Error(
    missing.length > 0
      ? `approvals.webhook needs ${missing.join(' and ')}: portolan secrets set ${missing[0]}`
      : 'approvals.webhook.url is no address once its variables are filled in',
  )
}

/** The headers of Standard Webhooks, which libraries in every language check. */
function signed(id: string, body: string, secret: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : secret
  const text = `${id}.${timestamp}.${body}`
  const signature = createHmac('sha256', key).update(text).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
}
