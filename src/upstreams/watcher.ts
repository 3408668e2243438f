import type { Client } from '../gateway/call.ts'
import type { Link } from './link.ts'
import { Canceller, type Signal } from '../base/signal.ts'

const RELISTEN_MS = 1000

/**
 * Subscribes to changes of a server's lists and of watched resources. Legacy servers send list changes
 * unasked and take one subscription per resource; modern servers have one stream for all.
 */
export class Watcher {
  readonly #watched = new Map<string, number>()
  #stop = new Canceller()

  /** Starts over on a new connection. */
  attach(link: Link): void {
    this.#stop.abort()
    this.#stop = new Canceller()
    if (link.era === 'modern') void this.#listen(link, this.#stop.signal)
    else
      for (const uri of this.#watched.keys())
        link.request('resources/subscribe', { uri }, {}).catch(() => undefined)
  }

  async watch(uri: string, link: Link, client: Client): Promise<void> {
    const count = this.#watched.get(uri) ?? 0
    if (link.era === 'legacy') await link.request('resources/subscribe', { uri }, { client })
    this.#watched.set(uri, count + 1)
    if (link.era === 'modern' && count === 0) this.attach(link)
  }

  unwatch(uri: string, link: Link | undefined): void {
    const count = this.#watched.get(uri) ?? 0
    if (count > 1) {
      this.#watched.set(uri, count - 1)
      return
    }
    if (!this.#watched.delete(uri) || !link) return
    if (link.era === 'modern') this.attach(link)
    else link.request('resources/unsubscribe', { uri }, {}).catch(() => undefined)
  }

  close(): void {
    this.#stop.abort()
  }

  async #listen(link: Link, signal: Signal): Promise<void> {
    while (!signal.aborted) {
      const notifications = {
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        ...(this.#watched.size > 0 && { resourceSubscriptions: [...this.#watched.keys()] }),
      }
      const startedAt = performance.now()
      const refused = await link
        .request('subscriptions/listen', { notifications }, { signal })
        .then(
          () => false,
          () => performance.now() - startedAt < RELISTEN_MS,
        )
      if (refused) return // The server does not support it, so asking again would not help.
      await new Promise((resolve) => setTimeout(resolve, RELISTEN_MS).unref())
    }
  }
}
