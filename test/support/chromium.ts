import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { z } from 'zod'

import { installFonts } from './fonts.ts'
import { waitTimeout } from './wait-timeout.ts'

/** Below node_modules: other users of the machine cannot put a browser there, and `npm ci` clears it. */
const cache = fileURLToPath(new URL('../../node_modules/.cache/second-factor/', import.meta.url))

/** Its own arguments, not those of @sparticuz/chromium: these switch off the rules that cross-origin tests are about. */
const args = [
  '--no-sandbox', // containers run as root, where Chromium refuses its sandbox; it only ever loads our own pages
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--no-default-browser-check',
  '--no-pings',
  '--font-render-hinting=none',
]

/**
 * Starts a real Chromium that needs no system package. Close it when done.
 * @param options.args Further arguments, such as those of a fake camera.
 */
export async function launchChromium(options: { readonly args?: readonly string[] } = {}): Promise<Browser> {
  const folder = await inflated()
  const browser = await chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: [...args, ...(options.args ?? [])],
    env: {
      ...process.env,
      HOME: folder,
      FONTCONFIG_FILE: join(folder, fontsConfiguration),
      LD_LIBRARY_PATH: [join(folder, 'al2023', 'lib'), process.env['LD_LIBRARY_PATH']].filter(Boolean).join(':'),
    },
  })
  return browser.on('context', (context: BrowserContext) => {
    context.setDefaultTimeout(waitTimeout)
    // Rejects only where the test closed the context at once.
    context.addInitScript(shortenWaits).catch(() => {})
    context.addInitScript(quickenPins).catch(() => {})
  })
}

/**
 * Runs in each page. Waits of seconds take a quarter of their time, and the shortest ones, such as those before a press counts,
 * a tenth. Timeouts of calls are longer than these. `page.clock.install()` replaces this: then time passes when the test says so.
 */
function shortenWaits() {
  const wait = window.setTimeout.bind(window)
  const repeat = window.setInterval.bind(window)
  const shortened = (duration: number) => (duration > 6_000 ? duration : duration > 500 ? duration / 4 : duration / 10)
  Object.assign(window, {
    setTimeout: (handler: () => void, duration = 0, ...more: unknown[]) => wait(handler, shortened(duration), ...more),
    // Clocks tick each second.
    setInterval: (handler: () => void, duration = 0, ...more: unknown[]) =>
      repeat(handler, duration > 1_000 ? shortened(duration) : duration, ...more),
  })
}

/** Runs in each page. A PIN takes a hundredth of its time; test/cli/device/pin.long.ts holds the real iterations. */
function quickenPins() {
  const { subtle } = crypto as { readonly subtle?: SubtleCrypto }
  // Without https there is none.
  if (!subtle) return
  const derive = subtle.deriveKey.bind(subtle)
  Object.assign(subtle, {
    deriveKey: (
      algorithm: Pbkdf2Params,
      ...more: Parameters<typeof derive> extends [unknown, ...infer R] ? R : never
    ) => derive({ ...algorithm, iterations: 6_000 }, ...more),
  })
}

/** The folder of this version's binary and libraries, unpacked once however many test files ask at the same time. */
async function inflated(): Promise<string> {
  const folder = join(cache, `chromium-${await version()}-fonts`)
  if (await exists(folder)) return folder

  await mkdir(cache, { recursive: true })
  const scratch = await mkdtemp(join(cache, 'inflating-'))
  await inflateInto(scratch)
  await installFonts(join(scratch, 'fonts'))
  await writeFile(join(scratch, fontsConfiguration), fonts)
  // A whole folder appears at once or not at all; when another process was first, its folder is as good.
  await rename(scratch, folder).catch(() => rm(scratch, { recursive: true }))
  return folder
}

/**
 * The package's own file names folders of AWS Lambda; this one makes every machine draw the same letters. `~` is HOME,
 * which is set to the folder: an absolute path would be wrong where the checkout was moved, or node_modules is a link.
 */
const fontsConfiguration = 'fonts.conf'
const fonts =
  `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>` +
  `<dir>~/fonts</dir><cachedir>~/fonts-cache</cachedir>` +
  // The other fonts are for letters that this one has not.
  `<match target="pattern"><edit name="family" mode="append" binding="strong"><string>Open Sans</string></edit></match>` +
  `</fontconfig>`

/** The package unpacks into the temporary folder, and its libraries only where it believes to be on AWS Lambda. */
async function inflateInto(folder: string): Promise<void> {
  const previousEnv = { ...process.env }
  Object.assign(process.env, { TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' })
  try {
    const { default: packaged } = await import('@sparticuz/chromium')
    await packaged.executablePath()
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in previousEnv)) delete process.env[name]
    Object.assign(process.env, previousEnv)
  }
}

async function version(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium')
  const text = await readFile(join(dirname(entry), '..', 'package.json'), 'utf8')
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version
}

const exists = (folder: string) =>
  readFile(join(folder, fontsConfiguration)).then(
    () => true,
    () => false,
  )
