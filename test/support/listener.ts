import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** A user who has a keyboard and a screen reader: no mouse, no selectors, only what the accessibility tree says. */
export interface Listener {
  readonly press: (key: string) => Promise<void>
  readonly type: (text: string) => Promise<void>
  /** Presses Tab until the focus has this role and name. */
  readonly tabTo: (role: string, name: string) => Promise<void>
  /** The same, and presses Enter there. */
  readonly activate: (role: string, name: string) => Promise<void>
  /** The accessibility tree of the document. */
  readonly hear: () => Promise<string>
  /** Waits until the tree contains the text. */
  readonly hears: (text: string) => Promise<boolean>
  /** What a screen reader says about the focused element; empty if the focus is lost. */
  readonly focused: () => Promise<string>
  /** Waits for a screen with this headline, whose focus is on the headline or in a field. */
  readonly arrives: (headline: string) => Promise<void>
  /** Texts of live regions that changed after their page had loaded, in order. */
  readonly announced: () => Promise<readonly string[]>
}

const maxTabs = 40

export async function createListener(page: Page): Promise<Listener> {
  await page.addInitScript(recordAnnouncements)
  await page.evaluate(recordAnnouncements)
  const hear = async () => readable(await page.locator('body').ariaSnapshot())

  async function focused(): Promise<string> {
    const focus = page.locator(':focus')
    if ((await focus.count()) === 0) return ''
    return readable(await focus.ariaSnapshot()).split('\n', 1)[0] ?? ''
  }
  async function tabTo(role: string, name: string): Promise<void> {
    const announcements: string[] = []
    for (let presses = 0; presses < maxTabs; presses++) {
      const announcement = await focused()
      if (presses > 0) announcements.push(announcement)
      // The tree of Playwright gives a `summary` no role, and then the text has no quotes.
      if (announcement.startsWith(`- ${role} "${name}"`) || announcement === `- ${role}: ${name}`) return
      await page.keyboard.press('Tab')
    }
    throw new Error(
      `Tab never reached ${role} "${name}". Heard:\n${announcements.join('\n')}\nThe document:\n${await hear()}`,
    )
  }
  return {
    hear,
    focused,
    tabTo,
    press: (key) => page.keyboard.press(key),
    type: (text) => page.keyboard.type(text),
    async activate(role, name) {
      await tabTo(role, name)
      // Buttons that appear under a finger are disabled for a moment.
      await expect.poll(focused).not.toContain('[disabled]')
      await page.keyboard.press('Enter')
    },
    hears: async (text) => {
      await expect.poll(hear).toContain(text)
      return true
    },
    async arrives(headline) {
      await expect.poll(hear).toContain(`- heading "${headline}" [level=1]`)
      await expect.poll(focused).toMatch(/^- (heading ".*" \[level=1\]|textbox )/)
    },
    announced: () => page.evaluate(() => (globalThis as unknown as { announced: string[] }).announced),
  }
}

/** Removes the quotes that YAML needs around some lines. */
function readable(snapshot: string): string {
  return snapshot.replace(/^( *- )'(.*)'(:?)$/gm, (_, dash: string, line: string, colon: string) => {
    return dash + line.replaceAll("''", "'") + colon
  })
}

/** Runs in the page. */
function recordAnnouncements(): void {
  const announced: string[] = []
  Object.assign(globalThis, { announced })
  const last = new WeakMap<Element, string>()
  const read = (record: boolean) => {
    for (const region of document.querySelectorAll('[role=alert], [role=status], [role=log], [aria-live]')) {
      const text = region.textContent.trim()
      if (record && text !== '' && text !== last.get(region)) announced.push(text)
      last.set(region, text)
    }
  }
  const watch = () => {
    read(false)
    new MutationObserver(() => read(true)).observe(document, { childList: true, characterData: true, subtree: true })
  }
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', watch)
  else watch()
}
