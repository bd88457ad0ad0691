import { useWords } from '../words/speech.tsx'
import type { Words } from '../words/en.ts'

/** How to allow notifications again in this browser. */
export function BlockedSteps() {
  const words = useWords()
  return <Steps steps={words.blockedSteps[browserOf(navigator.userAgent)]} />
}

export function Steps({ steps }: { readonly steps: readonly string[] }) {
  return (
    <ol class="steps">
      {steps.map((step) => (
        <li key={step}>{step}</li>
      ))}
    </ol>
  )
}

/** The order matters: the user agent of most browsers contains the names of others, and those on iPhones are all alike. */
const browsers: readonly (readonly [keyof Words['blockedSteps'], RegExp])[] = [
  ['iphone', /iPhone|iPad/],
  ['samsung', /SamsungBrowser/],
  ['firefox', /Firefox/],
  ['android', /Android/],
]

function browserOf(userAgent: string): keyof Words['blockedSteps'] {
  return browsers.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? 'desktop'
}
