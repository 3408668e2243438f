import { Hono } from 'hono'
import type { Answer, Answerer, Approval } from '../../gateway/approvals/approval.ts'
import { describeQuestion, titleOfQuestion } from '../../gateway/approvals/elicitation.ts'
import { whyNotAnswer } from '../../gateway/approvals/who-may-answer.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { HttpError } from '../../http/http-error.ts'
import type { Mount, SiteEnv } from '../../http/mount.ts'
import { APPROVE, type ApprovalLinks } from '../../identity/approval-links.ts'
import { type Html, html, page, pageHeaders } from '../../identity/incoming/pages/html.ts'
import { refuseOtherPages } from '../access/same-site.ts'
import { readText } from '../read-text.ts'
import type { Sources } from '../sources.ts'

export interface ApproveSources extends Pick<Sources, 'approvals' | 'config' | 'secrets'> {
  readonly questions: { readonly links: ApprovalLinks | undefined }
}

const MAX_FORM_LENGTH = 4_096
const MINUTES = 30
/** Whoever has a link; who that is, nobody knows. */
const BY_LINK: Answerer = {
  name: 'somebody with the link',
  person: '',
  groups: [],
  isAdmin: false,
  via: 'link',
}

/**
 * The pages that the links of `approvals.webhook` open. Reading one never answers: chats open the
 * links that they show.
 */
export function createApprovePages(sources: ApproveSources): Mount {
  const { approvals, secrets, questions } = sources
  const pages = new Hono<SiteEnv>().basePath(APPROVE)

  async function find(id: string, proof: string): Promise<Approval> {
    const isGood = questions.links?.accepts(id, proof) === true
    const found = isGood ? await approvals.find(id) : undefined
    if (found) return found
    throw new HttpError(404, 'NOT_FOUND', 'This link is not, or no longer, good')
  }

  function toPage(status: number, title: string, content: Html): Response {
    const text = secrets.hide(page(title, content))
    return new Response(text, { status, headers: pageHeaders() })
  }

  pages.get('/:id/:proof', async (c) => {
    const { id, proof } = c.req.param()
    const approval = await find(id, proof)
    const { question } = approval
    const isOver = approval.state !== 'pending' || approval.expiresAt <= Date.now()
    if (isOver) return toPage(200, 'Nothing waits here', html`<h1>${stateOf(approval)}</h1>`)
    const why = whyNotAnswer(question, BY_LINK, approvals.options)
    const title = titleOfQuestion(question)
    return toPage(
      200,
      title,
      html`<h1>${title}</h1>
        ${describeQuestion(question)
          .split('\n')
          .map((line) => html`<p><code>${line}</code></p>`)}
        ${
          why === undefined
            ? FORM
            : html`<p class="bad">You cannot answer here: ${why}.</p>
                <p><a class="button" href="/approvals">Approvals</a></p>`
        }`,
    )
  })

  pages.post('/:id/:proof', async (c) => {
    refuseOtherPages(c.env.incoming, sources.config.settings.listen.allowedOrigins)
    const { id, proof } = c.req.param()
    await find(id, proof)
    const form = new URLSearchParams(await readText(c.req.raw, MAX_FORM_LENGTH))
    const answered = await approvals.answer(id, toAnswer(form), BY_LINK)
    return toPage(200, 'Answered', html`<h1>${stateOf(answered)}</h1>`)
  })

  pages.all('*', () => {
    throw new HttpError(405, 'METHOD_NOT_ALLOWED', 'This page is only read, and its form sent')
  })

  pages.onError((error) => {
    const isExpected = error instanceof GatewayError || error instanceof HttpError
    const message = isExpected ? error.message : 'Something went wrong in Portolan.'
    const status = error instanceof HttpError ? error.status : isExpected ? 409 : 500
    return toPage(
      status,
      'Not answered',
      html`<h1>Not answered</h1>
        <p>${message}</p>`,
    )
  })

  return { fetch: pages.fetch, close: () => undefined }
}

/** Two forms: the Enter key in the reason must press the button beside it. */
const FORM = html`<form method="post">
    <div class="row">
      <button name="decision" value="once">Approve once</button>
      <button class="second" name="decision" value="arguments">
        These arguments for ${MINUTES} minutes
      </button>
    </div>
  </form>
  <form method="post">
    <label for="reason">Why not, for the agent</label>
    <input id="reason" name="reason" type="text" maxlength="500" />
    <div class="row"><button class="second" name="decision" value="deny">Deny</button></div>
  </form>`

function toAnswer(form: URLSearchParams): Answer {
  const decision = form.get('decision')
  if (decision === 'once') return { approve: true, scope: 'once' }
  if (decision === 'arguments') return { approve: true, scope: 'arguments', minutes: MINUTES }
  return { approve: false, reason: form.get('reason')?.trim() || undefined }
}

function stateOf({ state, answeredBy, expiresAt }: Approval): string {
  if (state === 'pending' && expiresAt <= Date.now()) return 'Nobody answered in time'
  if (state === 'expired') return 'Nobody answered in time'
  return `${state === 'denied' ? 'Denied' : 'Approved'} by ${answeredBy}`
}
