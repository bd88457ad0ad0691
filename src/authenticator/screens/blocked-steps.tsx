import { browserOf } from '../accounts/browser-of.ts'
import { useWords } from '../words/speech.tsx'

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
