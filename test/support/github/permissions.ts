/** The permission that GitHub's documentation names for each endpoint; several alternatives are separated by `|`. `jwt`: the App itself, `none`: any token. */
export const ENDPOINT_PERMISSIONS: Readonly<Record<string, string>> = {
  'GET /app': 'jwt',
  'GET /app/hook/deliveries': 'jwt',
  'GET /app/hook/deliveries/{delivery_id}': 'jwt',
  'POST /app/hook/deliveries/{delivery_id}/attempts': 'jwt',
  'GET /app/installations': 'jwt',
  'POST /app/installations/{installation_id}/access_tokens': 'jwt',
  'GET /advisories': 'none',
  'GET /installation/repositories': 'metadata:read',
  'GET /repos/{owner}/{repo}': 'metadata:read',
  'GET /repos/{owner}/{repo}/branches/{branch}': 'contents:read',
  'GET /repos/{owner}/{repo}/check-runs/{check_run_id}': 'checks:read',
  'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations': 'checks:read',
  'POST /repos/{owner}/{repo}/check-runs': 'checks:write',
  'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}': 'checks:write',
  'GET /repos/{owner}/{repo}/collaborators/{username}/permission': 'metadata:read',
  'GET /repos/{owner}/{repo}/commits/{ref}': 'contents:read',
  'GET /repos/{owner}/{repo}/commits/{ref}/check-runs': 'checks:read',
  'GET /repos/{owner}/{repo}/compare/{basehead}': 'contents:read',
  'GET /repos/{owner}/{repo}/git/blobs/{file_sha}': 'contents:read',
  'GET /repos/{owner}/{repo}/git/trees/{tree_sha}': 'contents:read',
  'GET /repos/{owner}/{repo}/issues/{issue_number}/comments': 'issues:read|pull_requests:read',
  'POST /repos/{owner}/{repo}/issues/{issue_number}/comments': 'issues:write|pull_requests:write',
  'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}': 'issues:write|pull_requests:write',
  'GET /repos/{owner}/{repo}/pulls': 'pull_requests:read',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}': 'pull_requests:read',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/comments': 'pull_requests:read',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/files': 'pull_requests:read',
  'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews': 'pull_requests:write',
  'GET /repos/{owner}/{repo}/rules/branches/{branch}': 'metadata:read',
  'GET /repos/{owner}/{repo}/tarball/{ref}': 'contents:read',
}

/** The permission that an App needs to subscribe to an event; `always`: delivered to every App without subscribing. */
export const EVENT_PERMISSIONS: Readonly<Record<string, string>> = {
  pull_request: 'pull_requests:read',
  push: 'contents:read',
  check_run: 'checks:read',
  check_suite: 'checks:read',
  merge_group: 'merge_queues:read',
  issue_comment: 'issues:read',
  installation: 'always',
  installation_repositories: 'always',
}

const LEVELS = ['none', 'read', 'write', 'admin']

/** Whether granted permissions satisfy a requirement of the tables above. */
export function isGranted(requirement: string, granted: Readonly<Record<string, string>>): boolean {
  if (requirement === 'none' || requirement === 'always') return true
  return requirement.split('|').some((one) => {
    const [name = '', level = ''] = one.split(':')
    return LEVELS.indexOf(granted[name] ?? 'none') >= LEVELS.indexOf(level)
  })
}
