import { pageToken } from './page-token.ts'

let saving = Promise.resolve()

/** Saves at once whether to remember the browser: users may approve on their device next, without sending a form. */
export function saveChoice(): void {
  const box = document.querySelector<HTMLInputElement>('input[data-save]')
  box?.addEventListener('change', () => {
    saving = saving.then(() => save(box))
  })
}

/** Resolves when the last choice is saved, or could not be. */
export const choiceSaved = (): Promise<void> => saving

async function save(box: HTMLInputElement): Promise<void> {
  const { checked } = box
  try {
    const answer = await fetch(box.dataset['save'] ?? '', {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({ ...(checked && { remember: 'yes' }), page: pageToken() }),
      signal: AbortSignal.timeout(5000),
    })
    if (answer.ok) return
  } catch {
    // Shown below.
  }
  box.checked = !checked
}
