export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Takes a mail to be delivered; rejects when it cannot. */
export type SendMail = (mail: Mail) => Promise<void>

const TIMEOUT_MS = 5_000

/** Hands mails to the owner's relay: any service that takes JSON by POST and knows how to send. */
export function relayMails(url: string): SendMail {
  return async (mail) => {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'error',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(mail),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (!response.ok) throw new Error(`The mail relay answered ${response.status}`)
  }
}

/** Without a relay the owner reads the log, and passes the link on. */
export async function logMail({ to, subject, text }: Mail): Promise<void> {
  console.error(`traces: a mail for ${to} (${subject}): ${text}`)
}
