// Output channels: the extension's own, the server's, and the trace of messages. None is ever revealed unasked.
import * as vscode from "vscode";

export interface Channels {
  readonly client: vscode.LogOutputChannel;
  readonly server: vscode.LogOutputChannel;
  readonly trace: vscode.LogOutputChannel;
}

export function createChannels(context: vscode.ExtensionContext): Channels {
  const channel = (name: string) => {
    const made = vscode.window.createOutputChannel(name, { log: true });
    context.subscriptions.push(made);
    return made;
  };
  return { client: channel("PyPTO"), server: channel("PyPTO Language Server"), trace: channel("PyPTO Language Server Trace") };
}
