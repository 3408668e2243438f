import type { Browser, Page } from 'playwright-core'

export interface PageOptions {
  readonly width?: number
  readonly height?: number
  readonly scheme?: 'light' | 'dark'
}

export interface OpenedPage {
  readonly page: Page
  /** Errors of the browser: refused by the page's policy, thrown, not found. */
  readonly complaints: string[]
  readonly close: () => Promise<void>
}

/** Opens a tab without stored data, and collects its errors. */
export async function openPage(browser: Browser, options: PageOptions = {}): Promise<OpenedPage> {
  const { width = 1440, height = 900, scheme = 'light' } = options
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme })
  const page = await context.newPage()
  page.setDefaultTimeout(10_000)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  return { page, complaints, close: async () => context.close() }
}
