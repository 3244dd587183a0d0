// Output channels: one for the extension, one for the server. Neither is ever revealed unasked.
import * as vscode from "vscode";

export interface Channels {
  readonly client: vscode.LogOutputChannel;
  readonly server: vscode.LogOutputChannel;
}

export function createChannels(context: vscode.ExtensionContext): Channels {
  const client = vscode.window.createOutputChannel("PyPTO", { log: true });
  const server = vscode.window.createOutputChannel("PyPTO Language Server", { log: true });
  context.subscriptions.push(client, server);
  return { client, server };
}
