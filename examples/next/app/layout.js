import { FollowSecondStep } from './follow-second-step.js'

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
        <FollowSecondStep />
        {children}
      </body>
    </html>
  )
}
