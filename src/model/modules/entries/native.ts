import { type EntryRules, matching } from './entry-rules.ts'

/** React Native and Expo: the whole application is on the user's device, API routes excepted. */
export const native: EntryRules = {
  name: 'React Native',
  applies: (app) => app.uses('expo') || app.uses('react-native'),
  entries: (app) => [
    ...matching(app, /^(src\/)?app\/.*\.[jt]sx?$/, 'client', 'route of Expo Router', /\+(api|html|middleware)\.[jt]sx?$/).filter(() => app.uses('expo-router')),
    ...matching(app, /^(src\/)?(App|index)(\.(native|ios|android|web))?\.[jt]sx?$/, 'client', 'entry of the native application'),
    ...matching(app, /^(src\/)?app\/.*\+(api|middleware)\.[jt]sx?$/, 'server', 'API route of Expo Router'),
  ],
}
