/**
 * Calls a function of the app for whose result nobody waits. An async one fails only later, and Node ends the process over a rejection that
 * nobody handles.
 */
export function runListener(listener: () => unknown, failed: (error: unknown) => void): void {
  try {
    Promise.resolve(listener()).catch(failed)
  } catch (error) {
    failed(error)
  }
}
