import { afterAll, beforeAll, vi } from 'vitest'

/**
 * Devices derive a key from a PIN in a hundredth of the time. `test/cli/device/pin.long.ts` holds the real iterations. Call it
 * in a `describe`.
 */
export function useQuickPins(): void {
  const { subtle } = globalThis.crypto
  const derive = subtle.deriveKey.bind(subtle)
  const quick: typeof derive = (algorithm, ...more) =>
    derive({ ...(algorithm as Pbkdf2Params), iterations: 6_000 }, ...more)
  let restore: () => void

  beforeAll(() => {
    const spy = vi.spyOn(subtle, 'deriveKey').mockImplementation(quick)
    restore = () => spy.mockRestore()
  })
  afterAll(() => restore())
}
