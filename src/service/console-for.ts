import type { Handle } from './engine/http/handle.ts'

const consoles = new WeakMap<object, Handle>()

/** Makes a console available to `consoleFor()`. */
export function offerConsole(service: object, console: Handle | undefined): void {
  if (console) consoles.set(service, console)
}

/**
 * The console for administrators and the help desk, to be mounted at any path of an app: `app.use('/console',
 * consoleFor(service))`. Mount it before the app's sessions, CSRF protection and body parsers, because it has its own.
 *
 * @param service From `createService()` or `embedded()`, with the option `console`.
 * @throws {TypeError} if the service has no console.
 */
export function consoleFor(service: object): Handle {
  const console = consoles.get(service)
  if (console) return console
  throw new TypeError("consoleFor: the service has no option console, such as { url: 'https://console.example.com' }")
}
